//! Tic-tac-toe: two players take turns to mark one of nine squares. Three of one's own in a row, a column or a diagonal
//! win; a full board without them is a draw.
#![no_std]
include!("croupier.rs");

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

#[repr(C)]
pub struct Board {
    marks: [i8; 9], // 0 for an empty square, else the seat + 1
    moves: i8,
}

impl Board {
    /// The seat that has three in a line.
    fn winner(&self) -> Option<i8> {
        let same = |line: &&[usize; 3]| {
            let mark = self.marks[line[0]];
            mark != 0 && mark == self.marks[line[1]] && mark == self.marks[line[2]]
        };
        LINES.iter().find(same).map(|line| self.marks[line[0]] - 1)
    }
}

impl Game for Board {
    const SEATS: usize = 2;
    const STEPS: usize = 9;
    const OBSERVATION: usize = 18;

    fn describe(to: &mut Text) {
        to.put("{\"name\": \"tic-tac-toe\", \"title\": \"Tic-tac-toe\", \"summary\": \"Tic-tac-toe: three in a row win\",");
        to.put("\"seats\": 2, \"max_history\": 9, \"payoff\": \"win-loss\", \"max_return\": 1, \"unit\": \"wins\",");
        to.put("\"actions\": [{\"name\": \"square\", \"count\": 9}],");
        to.put("\"observation\": [{\"name\": \"own\", \"size\": 9}, {\"name\": \"other\", \"size\": 9}]}");
    }

    fn player(&self) -> i32 {
        if self.winner().is_some() || self.moves == 9 {
            return TERMINAL;
        }
        (self.moves % 2) as i32
    }

    fn steps(&self, to: &mut Steps) {
        (0..9).filter(|&square| self.marks[square] == 0).for_each(|square| to.can(square as i32));
    }

    fn apply(&mut self, square: i32) {
        self.marks[square as usize] = 1 + self.moves % 2;
        self.moves += 1;
    }

    fn observe(&self, seat: usize, to: &mut [f32]) {
        for (square, &mark) in self.marks.iter().enumerate() {
            to[square] = (mark == seat as i8 + 1) as i8 as f32;
            to[9 + square] = (mark == 2 - seat as i8) as i8 as f32;
        }
    }

    fn returns(&self, to: &mut [f64]) {
        to[0] = match self.winner() {
            Some(0) => 1.0,
            Some(_) => -1.0,
            None => 0.0,
        };
        to[1] = 0.0 - to[0];
    }

    fn text(&self, to: &mut Text) {
        for (square, &mark) in self.marks.iter().enumerate() {
            to.put([".", "x", "o"][mark as usize]);
            to.put(if square == 8 { "" } else if square % 3 == 2 { "\n" } else { " " });
        }
    }

    fn view(&self, _eye: i32, to: &mut Text) {
        to.put("{\"parts\": [{\"grid\": {\"columns\": 3, \"actions\": [0, 1, 2, 3, 4, 5, 6, 7, 8], \"cells\": [");
        for (square, &mark) in self.marks.iter().enumerate() {
            to.put(if square > 0 { ", " } else { "" }).put(["\"\"", "\"@0\"", "\"@1\""][mark as usize]);
        }
        to.put("]}}]}");
    }
}

croupier_game!(Board);
