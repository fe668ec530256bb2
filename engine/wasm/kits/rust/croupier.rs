// croupier.rs makes a game in Rust a file for Croupier. docs/guide/own-games.md explains the interface step by step.
//
// A game is a type that implements Game, and ends with croupier_game!(TYPE). Its file begins with
//
//   #![no_std]
//   include!("croupier.rs");
//
// and is built, with the target of rustup target add wasm32-unknown-unknown, by
//
//   rustc --target wasm32-unknown-unknown --crate-type cdylib -C opt-level=3 -C panic=abort -C lto=fat \
//     -C codegen-units=1 -C strip=symbols -o NAME.wasm NAME.rs

pub const CHANCE: i32 = -1;
pub const TERMINAL: i32 = -2;
/// What seen returns if a seat sees that a step is made, but not which.
pub const HIDDEN_STEP: i32 = -1;
/// What seen returns if a seat does not notice a step.
pub const UNNOTICED: i32 = -2;
/// The eye of view that sees what everybody sees.
pub const EVERYBODY: i32 = -1;
/// The eye of view that sees all that is hidden.
pub const ALL_OPEN: i32 = -2;

/// A game is its state: plain numbers without gaps between them (repr(C)), which are zeros before begin. All that a
/// game depends on must be in it; other variables may be lost between two calls.
pub trait Game {
    /// Players.
    const SEATS: usize;
    /// Actions, or outcomes of chance, whichever are more, under any rules.
    const STEPS: usize;
    /// Numbers that a player is shown, under any rules.
    const OBSERVATION: usize;
    /// Rules that can be changed.
    const RULES: usize = 0;

    /// The description, JSON. rule(0) is the value of the first rule.
    fn describe(to: &mut Text);
    /// The beginning of the game.
    fn begin(&mut self) {}
    /// The seat to move, CHANCE or TERMINAL.
    fn player(&self) -> i32;
    /// Calls can, or at a node of chance outcome, in ascending order.
    fn steps(&self, to: &mut Steps);
    /// Makes a possible step.
    fn apply(&mut self, step: i32);
    /// Writes what a seat may know over zeros.
    fn observe(&self, seat: usize, to: &mut [f32]);
    /// Writes the return of each seat at the end over zeros; their sum is 0.
    fn returns(&self, to: &mut [f64]);
    /// Writes the points of each seat, if the game has any.
    fn scores(&self, _to: &mut [i64]) {}
    /// What a seat sees of a step that is about to be made.
    fn seen(&self, _seat: usize, step: i32) -> i32 {
        step
    }
    /// Names an action or outcome; nothing for the name of the description.
    fn name(&self, _step: i32, _to: &mut Text) {}
    /// The position for people.
    fn text(&self, _to: &mut Text) {}
    /// What lies on the table for a seat, EVERYBODY or ALL_OPEN: JSON.
    fn view(&self, _eye: i32, _to: &mut Text) {}
}

/// The possible steps of a node, where the program reads them.
pub struct Steps<'a> {
    count: &'a mut i32,
    steps: &'a mut [i32],
    weights: &'a mut [u32],
}

impl Steps<'_> {
    /// Says that an action is legal.
    pub fn can(&mut self, action: i32) {
        self.outcome(action, 1);
    }

    /// Says that chance can do something, in as many cases of all as weight says.
    pub fn outcome(&mut self, number: i32, weight: u32) {
        let at = *self.count as usize;
        if let (Some(step), Some(w)) = (self.steps.get_mut(at), self.weights.get_mut(at)) {
            *step = number;
            *w = weight;
            *self.count += 1;
        } else {
            core::arch::wasm32::unreachable() // more than STEPS
        }
    }
}

/// A text for the program. What does not fit is left out.
pub struct Text {
    bytes: [u8; 8192],
    length: usize,
}

impl Text {
    pub const fn new() -> Text {
        Text { bytes: [0; 8192], length: 0 }
    }

    pub fn put(&mut self, text: &str) -> &mut Text {
        for b in text.bytes() {
            if self.length + 1 < self.bytes.len() {
                self.bytes[self.length] = b;
                self.length += 1;
            }
        }
        self
    }

    pub fn number(&mut self, n: i64) -> &mut Text {
        if n < 0 {
            self.put("-");
        }
        self.digits(n.unsigned_abs())
    }

    fn digits(&mut self, n: u64) -> &mut Text {
        if n > 9 {
            self.digits(n / 10);
        }
        let digit = [b'0' + (n % 10) as u8];
        self.put(core::str::from_utf8(&digit).unwrap_or(""))
    }

    /// The text's address, 0 for an empty one.
    pub fn address(&mut self) -> *const u8 {
        if self.length == 0 {
            return core::ptr::null();
        }
        self.bytes[self.length] = 0;
        self.bytes.as_ptr()
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

/// The address of what the program reads and writes.
#[repr(C)]
pub struct Table {
    pub version: u32,
    pub description: *const u8,
    pub rules: *const i32,
    pub state: *const u8,
    pub state_size: u32,
    pub node: *const i32,
    pub steps: *const i32,
    pub weights: *const u32,
    pub observation: *const f32,
    pub returns: *const f64,
    pub scores: *const i64,
    pub seen: *const i32,
}

/// Everything that the program reads and writes. There is one thread, and each call has it alone.
pub struct Shared<S, const SEATS: usize, const STEPS: usize, const OBSERVATION: usize, const RULES: usize> {
    pub state: S,
    pub rules: [i32; RULES],
    pub node: [i32; 2],
    pub steps: [i32; STEPS],
    pub weights: [u32; STEPS],
    pub observation: [f32; OBSERVATION],
    pub returns: [f64; SEATS],
    pub scores: [i64; SEATS],
    pub seen: [i32; SEATS],
    pub text: Text,
    pub table: core::mem::MaybeUninit<Table>,
}

impl<S: Game, const SEATS: usize, const STEPS: usize, const OBSERVATION: usize, const RULES: usize>
    Shared<S, SEATS, STEPS, OBSERVATION, RULES>
{
    /// Describes the game and says where everything is.
    pub fn game(&mut self) -> *const Table {
        self.text.length = 0;
        S::describe(&mut self.text);
        self.table.write(Table {
            version: 1,
            description: self.text.address(),
            rules: self.rules.as_ptr(),
            state: (&raw const self.state).cast(),
            state_size: core::mem::size_of::<S>() as u32,
            node: self.node.as_ptr(),
            steps: self.steps.as_ptr(),
            weights: self.weights.as_ptr(),
            observation: self.observation.as_ptr(),
            returns: self.returns.as_ptr(),
            scores: self.scores.as_ptr(),
            seen: self.seen.as_ptr(),
        })
    }

    fn tell(&mut self) {
        self.node = [self.state.player(), 0];
        if self.node[0] == TERMINAL {
            self.state.returns(&mut self.returns);
        } else {
            let Self { node: [_, count], steps, weights, .. } = self;
            self.state.steps(&mut Steps { count, steps, weights });
        }
        self.state.scores(&mut self.scores);
    }

    pub fn reset(&mut self) {
        self.state.begin();
        self.tell();
    }

    pub fn step(&mut self, step: i32, observing: i32) {
        for (seat, seen) in self.seen.iter_mut().enumerate() {
            *seen = self.state.seen(seat, step);
        }
        self.state.apply(step);
        self.tell();
        if observing != 0 && self.node[0] >= 0 {
            self.observe(self.node[0]);
        }
    }

    pub fn observe(&mut self, seat: i32) {
        self.state.observe(seat as usize, &mut self.observation);
    }

    pub fn write(&mut self, write: impl FnOnce(&S, &mut Text)) -> *const u8 {
        self.text.length = 0;
        write(&self.state, &mut self.text);
        self.text.address()
    }
}

/// croupier_game!(TYPE) stands at the end of a game's file. It makes the exports of the interface, and rule(i), which is
/// the value of a rule, by its place in the description: a number, 1 or 0 for true or false, or the place of a text
/// among its values.
macro_rules! croupier_game {
    ($game:ty) => {
        type All = Shared<
            $game,
            { <$game>::SEATS },
            { <$game>::STEPS },
            { <$game>::OBSERVATION },
            { <$game>::RULES + 1 },
        >;

        // Zeros are a state, by the contract of Game, and numbers are valid at all bits.
        static mut ALL: core::mem::MaybeUninit<All> = core::mem::MaybeUninit::zeroed();

        fn all() -> &'static mut All {
            unsafe { (*(&raw mut ALL)).assume_init_mut() }
        }

        #[allow(dead_code)]
        fn rule(i: usize) -> i32 {
            unsafe { (*(&raw const ALL).cast::<All>()).rules[i] }
        }

        #[no_mangle]
        pub extern "C" fn game() -> *const Table {
            all().game()
        }
        #[no_mangle]
        pub extern "C" fn reset() {
            all().reset()
        }
        #[no_mangle]
        pub extern "C" fn step(step: i32, observing: i32) {
            all().step(step, observing)
        }
        #[no_mangle]
        pub extern "C" fn observe(seat: i32) {
            all().observe(seat)
        }
        #[no_mangle]
        pub extern "C" fn seen(seat: i32, step: i32) -> i32 {
            all().state.seen(seat as usize, step)
        }
        #[no_mangle]
        pub extern "C" fn name(step: i32) -> *const u8 {
            all().write(|state, to| state.name(step, to))
        }
        #[no_mangle]
        pub extern "C" fn text() -> *const u8 {
            all().write(|state, to| state.text(to))
        }
        #[no_mangle]
        pub extern "C" fn view(eye: i32) -> *const u8 {
            all().write(|state, to| state.view(eye, to))
        }
    };
}
