//! Liar's Dice for two seats with one die or two each, which only their owner sees. A seat bids how many dice of both
//! show a face, or calls the other a liar. A bid must be higher than the last: more dice, or as many of a higher face. The
//! highest face is wild: it counts as every face. When a seat is called a liar, it wins if its bid holds.
//!
//! Action (q-1)*faces + f-1 bids q dice of face f, and the last action calls the other a liar. With one die each it is
//! the game of that name in OpenSpiel.
#![no_std]
include!("croupier.rs");

const MOST_DICE: usize = 4;
const MOST_FACES: usize = 6;

#[repr(C)]
pub struct LiarsDice {
    bids: u32, // a bit for each; they rise, so the number of lower ones says whose it is
    dice: [i8; MOST_DICE], // those of seat 0 first
    rolled: i16,
    called: i16,
}

/// How many dice a seat has. Rules are 0 when the description is read first, for what it says of them.
fn own() -> usize {
    rule(0).clamp(1, 2) as usize
}

fn faces() -> i32 {
    rule(1).clamp(2, MOST_FACES as i32)
}

/// The action that calls the other a liar, which is also how many bids there are.
fn call() -> i32 {
    2 * own() as i32 * faces()
}

impl LiarsDice {
    /// The lowest bid that is higher than the last.
    fn next(&self) -> i32 {
        32 - self.bids.leading_zeros() as i32
    }

    fn rolling(&self) -> bool {
        (self.rolled as usize) < 2 * own()
    }

    /// The dice of a seat that are rolled.
    fn of(&self, seat: usize) -> &[i8] {
        let end = ((seat + 1) * own()).min(self.rolled as usize);
        self.dice.get(seat * own()..end).unwrap_or(&[])
    }

    /// Says whether the last bid holds.
    fn holds(&self) -> bool {
        let last = self.next() - 1;
        let face = (last % faces()) as i8;
        let wild = faces() as i8 - 1;
        let dice = self.of(0).iter().chain(self.of(1));
        dice.filter(|&&die| die == face || die == wild).count() as i32 > last / faces()
    }
}

fn bid(action: i32, to: &mut Text) {
    if action == call() {
        to.put("liar");
    } else {
        to.number((action / faces() + 1) as i64).put("x").number((action % faces() + 1) as i64);
    }
}

impl Game for LiarsDice {
    const SEATS: usize = 2;
    const STEPS: usize = MOST_DICE * MOST_FACES + 1;
    const OBSERVATION: usize = 2 + 2 * MOST_FACES + MOST_DICE * MOST_FACES + 1;
    const RULES: usize = 2;

    fn describe(to: &mut Text) {
        to.put("{\"name\": \"liars-dice-two\", \"title\": \"Liar's Dice\", \"seats\": 2,");
        to.put("\"summary\": \"Liar's Dice for two: bids on hidden dice, and a doubt\",");
        to.put("\"actions\": [{\"name\": \"bids\", \"count\": ").number(call() as i64);
        to.put("}, {\"name\": \"doubt\", \"count\": 1}], \"outcomes\": ").number(faces() as i64);
        to.put(", \"observation\": [{\"name\": \"seat\", \"size\": 2}, {\"name\": \"dice\", \"size\": ");
        to.number(own() as i64 * faces() as i64);
        to.put("}, {\"name\": \"bids\", \"size\": ").number(call() as i64 + 1);
        to.put("}], \"payoff\": \"win-loss\", \"max_return\": 1, \"unit\": \"wins\", \"max_history\": ");
        to.number(2 * own() as i64 + call() as i64 + 1);
        to.put(", \"unit_meaning\": \"A game that is won counts 1, one that is lost -1\",");
        to.put("\"hidden_information\": true, \"temperature\": 1, \"rules\": [");
        to.put("{\"name\": \"dice\", \"help\": \"Dice of a seat\", \"default\": 1, \"low\": 1, \"high\": 2},");
        to.put("{\"name\": \"faces\", \"help\": \"Faces of a die\", \"default\": 4, \"low\": 2, \"high\": 6}]}");
    }

    fn player(&self) -> i32 {
        if self.rolling() {
            return CHANCE;
        }
        if self.called != 0 {
            return TERMINAL;
        }
        (self.bids.count_ones() % 2) as i32
    }

    fn steps(&self, to: &mut Steps) {
        if self.rolling() {
            (0..faces()).for_each(|face| to.outcome(face, 1));
            return;
        }
        (self.next()..call()).for_each(|bid| to.can(bid));
        if self.bids != 0 {
            to.can(call());
        }
    }

    fn apply(&mut self, step: i32) {
        if self.rolling() {
            self.dice[self.rolled as usize % MOST_DICE] = step as i8;
            self.rolled += 1;
        } else if step == call() {
            self.called = 1;
        } else {
            self.bids |= 1 << step;
        }
    }

    fn seen(&self, seat: usize, step: i32) -> i32 {
        if self.rolling() && self.rolled as usize / own() != seat {
            return HIDDEN_STEP;
        }
        step
    }

    fn observe(&self, seat: usize, to: &mut [f32]) {
        to[seat] = 1.0;
        for (i, &die) in self.of(seat).iter().enumerate() {
            to[2 + i * faces() as usize + die as usize] = 1.0;
        }
        let bids = 2 + own() * faces() as usize;
        for bid in 0..call() {
            to[bids + bid as usize] = (self.bids >> bid & 1) as f32;
        }
        to[bids + call() as usize] = self.called as f32;
    }

    fn returns(&self, to: &mut [f64]) {
        let bidder = (self.bids.count_ones() as usize + 1) % 2;
        to[bidder] = if self.holds() { 1.0 } else { -1.0 };
        to[1 - bidder] = -to[bidder];
    }

    fn name(&self, step: i32, to: &mut Text) {
        if self.rolling() {
            to.number(step as i64 + 1);
        } else {
            bid(step, to);
        }
    }

    fn text(&self, to: &mut Text) {
        for seat in 0..2 {
            to.put(if seat == 0 { "seat 1:" } else { "; seat 2:" });
            for &die in self.of(seat) {
                to.put(" ").number(die as i64 + 1);
            }
        }
        to.put("; bids:");
        for action in (0..call()).filter(|&b| self.bids >> b & 1 == 1) {
            to.put(" ");
            bid(action, to);
        }
        if self.called != 0 {
            to.put(" liar");
        }
    }

    fn view(&self, eye: i32, to: &mut Text) {
        to.put("{\"parts\": [");
        for seat in 0..2 {
            let open = eye == seat || eye == ALL_OPEN || self.called != 0;
            to.put("{\"seat\": ").number(seat as i64).put(", \"dice\": [");
            for (i, &die) in self.of(seat as usize).iter().enumerate() {
                to.put(if i > 0 { ", " } else { "" }).number(if open { die as i64 + 1 } else { 0 });
            }
            to.put("]}, ");
        }
        to.put("{\"label\": \"Bid\", \"note\": \"");
        if self.bids == 0 {
            to.put("none yet");
        } else {
            bid(self.next() - 1, to);
        }
        to.put("\"}]}");
    }
}

croupier_game!(LiarsDice);
