package agentfile

import (
	"fmt"
	"math"

	"croupier/engine"
	"croupier/engine/wasm"
	. "croupier/engine/wasm/asm"
)

// Words of the game's table (docs/reference/game-files.md).
const (
	wordDescription, wordRules, wordState, wordStateSize, wordNode = 1, 2, 3, 4, 5
	wordSteps, wordWeights, wordObservation, wordReturns           = 6, 7, 8, 9
)

// write writes the functions. Those without an export serve the others.
func (w *writer) write(rules int) error {
	w.writeMaths()
	forward, err := w.forwardOf()
	if err != nil {
		return err
	}
	w.forward = w.add(forward)
	w.pages = (w.end + wasm.PageSize - 1) / wasm.PageSize
	w.enter, w.tell = w.add(w.enterOf()), w.add(w.tellOf())
	w.decide = w.add(w.decideOf())
	w.weigh = w.add(w.weighOf())
	for _, f := range []Function{
		w.resetOf(rules), w.stepOf(), w.chooseOf(), w.probabilityOf(), w.valueOf(), w.returnsOf(),
		exported("player", nil, I32, w.player()),
		exported("count", nil, I32, w.count()),
		exported("possible", []Type{I32}, I32, Join(w.unless(Int(-1)), w.step(0))),
		exported("description", nil, I32, w.at0(wordDescription)),
	} {
		w.add(f)
	}
	w.passOn()
	return w.err
}

func exported(name string, parameters []Type, result Type, body Code, locals ...Type) Function {
	return Function{Export: name, Parameters: parameters, Results: []Type{result}, Locals: locals, Body: body}
}

// passOn exports what the game tells people, if it does.
func (w *writer) passOn() {
	for _, f := range []struct {
		name       string
		parameters int
		address    bool
	}{{"name", 1, true}, {"text", 0, true}, {"view", 1, true}, {"seen", 2, false}} {
		if _, ok := w.module.Function(f.name); !ok {
			continue
		}
		var arguments []Code
		var types []Type
		for i := range f.parameters {
			arguments, types = append(arguments, Get(i)), append(types, I32)
		}
		body := Join(Call(w.enter), w.game(f.name, arguments...))
		if f.address {
			body = Join(Set(f.parameters, body), If(Op(I32Eqz, Get(f.parameters)), Return(Int(0))), w.moved(Get(f.parameters)))
		}
		w.add(exported(f.name, types, I32, body, I32))
	}
}

// game calls a function of the game.
func (w *writer) game(name string, arguments ...Code) Code {
	f, ok := w.module.Function(name)
	if !ok {
		w.err = fmt.Errorf("the game exports no function %s", name)
	}
	return Call(f, arguments...)
}

func (w *writer) base() int { return w.pages * wasm.PageSize }

// moved is an address of the game in the module's memory.
func (w *writer) moved(address Code) Code { return Op(I32Add, address, Int(w.base())) }

// word is one of the game's table, and at0 the address that it says, in the module's memory.
func (w *writer) word(i int) Code { return Load(I32Load, w.global(globalTable), w.base()+4*i) }
func (w *writer) at0(i int) Code  { return w.moved(w.word(i)) }

func (w *writer) player() Code { return Load(I32Load, Int(w.node), 0) }
func (w *writer) count() Code  { return Load(I32Load, Int(w.node), 4) }

// step is a possible step, share what it is drawn by, and output what the network says of it.
func (w *writer) step(i int) Code { return Load(I32Load, Op(I32Shl, Get(i), Int(2)), w.steps) }
func (w *writer) share(i int) Code {
	return Load(F64Load, Op(I32Shl, Get(i), Int(3)), w.shares)
}
func (w *writer) output(i int) Code { return read(Op(I32Shl, w.step(i), Int(2)), w.outputs) }

// unless returns a value unless the first parameter is the place of a possible step.
func (w *writer) unless(value Code) Code {
	return If(Op(I32GeU, Get(0), w.count()), Return(value))
}

// enterOf writes the position to where the game reads it.
func (w *writer) enterOf() Function {
	return Function{Body: Join(
		Copy(w.at0(wordState), Int(w.position), w.word(wordStateSize)),
		Fill(w.at0(wordObservation), Int(0), Int(4*w.layout.Spec.ObservationSize)),
		Fill(w.at0(wordReturns), Int(0), Int(8*w.layout.Spec.Seats)),
	)}
}

// tellOf keeps what the game tells of a new position.
func (w *writer) tellOf() Function {
	bytes := func(count Code) Code { return Op(I32Shl, count, Int(2)) }
	is := func(player int) Code { return Op(I32Eq, w.player(), Int(player)) }
	body := Join(
		If(Op(I32LtU, Int(mostPosition), w.word(wordStateSize)), Unreachable),
		Copy(Int(w.position), w.at0(wordState), w.word(wordStateSize)),
		Copy(Int(w.node), w.at0(wordNode), Int(8)),
		If(is(engine.Terminal),
			Store(I32Store, Int(w.node), 4, Int(0)),
			Copy(Int(w.returns), w.at0(wordReturns), Int(8*w.layout.Spec.Seats))),
		If(Op(I32LtU, Int(w.mostSteps()), w.count()), Unreachable),
		Copy(Int(w.steps), w.at0(wordSteps), bytes(w.count())),
	)
	if w.layout.Spec.Outcomes > 0 {
		body = append(body, If(is(engine.Chance), Copy(Int(w.cases), w.at0(wordWeights), bytes(w.count())))...)
	}
	return Function{Body: append(body, w.setGlobal(globalDecided, Int(0))...)}
}

// resetOf begins a game. The first call starts the module.
func (w *writer) resetOf(rules int) Function {
	start := w.setGlobal(globalStarted, Int(1))
	if _, ok := w.module.Function("_initialize"); ok {
		start = Join(start, w.game("_initialize"))
	}
	readTable := w.setGlobal(globalTable, w.game("game"))
	start = append(start, readTable...)
	if rules > 0 {
		start = Join(start, Copy(w.at0(wordRules), Int(w.rules), Int(4*rules)), readTable)
	}
	return Function{Export: "reset", Body: Join(
		If(Op(I32Eqz, w.global(globalStarted)), start),
		Fill(Int(w.position), Int(0), Int(mostPosition)),
		Fill(Int(w.seats), Int(0), Int(w.memoryBytes()*w.layout.Spec.Seats)),
		Call(w.enter), w.game("reset"), Call(w.tell),
	)}
}

// memoryOfSeat is where the memory of the seat to move is.
func (w *writer) memoryOfSeat() Code {
	return Op(I32Add, Int(w.seats), Op(I32Mul, w.player(), Int(w.memoryBytes())))
}

// stepOf makes a step and returns 1, or 0 for one that is not possible: (step). At a decision the memory of the seat
// advances, whatever has chosen the step.
func (w *writer) stepOf() Function {
	const step, i, found = 0, 1, 2
	body := Join(
		For(i, w.count(), If(Op(I32Eq, w.step(i), Get(step)), Set(found, Int(1)))),
		If(Op(I32Eqz, Get(found)), Return(Int(0))),
	)
	if w.layout.StateSize > 0 {
		body = append(body, If(Op(I32GeS, w.player(), Int(0)),
			Call(w.decide), Copy(w.memoryOfSeat(), Int(w.memory), Int(w.memoryBytes())))...)
	}
	body = Join(body, Call(w.enter), w.game("step", Get(step), Int(0)), Call(w.tell), Int(1))
	return exported("step", []Type{I32}, I32, body, I32, I32)
}

// decideOf has the network decide for the seat to move.
func (w *writer) decideOf() Function {
	return Function{Body: Join(
		If(w.global(globalDecided), Return()),
		Call(w.enter), w.game("observe", w.player()),
		Copy(Int(w.observation), w.at0(wordObservation), Int(4*w.layout.Spec.ObservationSize)),
		Copy(Int(w.memory), w.memoryOfSeat(), Int(w.memoryBytes())),
		Call(w.forward), w.setGlobal(globalDecided, Int(1)),
	)}
}

// weighOf computes what each possible step is drawn by. At a decision these are e^((x − greatest x) / temperature); at
// temperature 0, and always for values of actions, the first of the greatest has all.
func (w *writer) weighOf() Function {
	const i, best, top = 0, 1, 2
	share := func(v Code) Code { return Store(F64Store, Op(I32Shl, Get(i), Int(3)), w.shares, v) }
	chance := For(i, w.count(), share(Op(F64ConvertI32U, Load(I32Load, Op(I32Shl, Get(i), Int(2)), w.cases))))
	greedy := Join(
		For(i, w.count(), share(Float(0))),
		Set(i, Get(best)), share(Float(1)),
	)
	body := Join(
		If(Op(I32LtS, w.player(), Int(0)), chance, Return()),
		Call(w.decide),
		Set(top, Float(math.Inf(-1))),
		For(i, w.count(), If(Op(F64Gt, w.output(i), Get(top)), Set(top, w.output(i)), Set(best, Get(i)))),
	)
	if w.layout.Description.ActionValues() {
		body = append(body, greedy...)
	} else {
		t := w.global(globalTemperature)
		body = Join(body,
			If(Op(F64Eq, t, Float(0)), greedy, Return()),
			For(i, w.count(), share(Call(w.exp, Op(F64Div, Op(F64Sub, w.output(i), Get(top)), t)))))
	}
	return Function{Locals: []Type{I32, I32, F64}, Body: body}
}

// total sets a local to the sum of what the possible steps are drawn by.
func (w *writer) total(i, sum int) Code {
	return Join(Set(sum, Float(0)), For(i, w.count(), Set(sum, Op(F64Add, Get(sum), w.share(i)))))
}

// chooseOf draws a possible step with a number of 0 to below 1, or returns -1 at the end: (random).
func (w *writer) chooseOf() Function {
	const left, i, sum = 0, 1, 2
	below := Op(F64Min, Get(left), Float(math.Nextafter(1, 0)))
	return exported("choose", []Type{F64}, I32, Join(
		If(Op(I32Eqz, w.count()), Return(Int(-1))),
		Call(w.weigh), w.total(i, sum),
		Set(left, Op(F64Mul, below, Get(sum))),
		For(i, w.count(),
			Set(left, Op(F64Sub, Get(left), w.share(i))),
			If(Op(F64Lt, Get(left), Float(0)), Return(w.step(i)))),
		Set(i, Op(I32Sub, w.count(), Int(1))), w.step(i),
	), I32, F64)
}

// probabilityOf is that of a possible step, by its place: (i).
func (w *writer) probabilityOf() Function {
	const place, i, sum = 0, 1, 2
	return exported("probability", []Type{I32}, F64, Join(
		w.unless(Float(0)), Call(w.weigh), w.total(i, sum),
		Op(F64Div, w.share(place), Get(sum)),
	), I32, F64)
}

// valueOf is what the network expects for the seat to move, 0 where no seat is.
func (w *writer) valueOf() Function {
	const i, top, sum = 0, 1, 2
	d := w.layout.Description
	stored := read(Int(w.outputs), 4*w.layout.Spec.Actions)
	body := Join(If(Op(I32LtS, w.player(), Int(0)), Return(Float(0))), Call(w.decide))
	if !d.ActionValues() {
		return exported("value", nil, F64, append(body, stored...))
	}
	body = Join(body, Set(top, Float(math.Inf(-1))), For(i, w.count(),
		Set(top, Op(F64Max, Get(top), w.output(i))), Set(sum, Op(F64Add, Get(sum), w.output(i)))))
	if d.Dueling {
		mean := Op(F64Div, Get(sum), Op(F64ConvertI32U, w.count()))
		body = append(body, Set(top, Op(F64Add, Get(top), Op(F64Sub, stored, mean)))...)
	}
	return exported("value", nil, F64, append(body, Get(top)...), I32, F64, F64)
}

// returnsOf is what a seat gains, 0 before the end: (seat).
func (w *writer) returnsOf() Function {
	is := Op(I32Eq, w.player(), Int(engine.Terminal))
	return exported("returns", []Type{I32}, F64, Join(
		If(Op(I32Eqz, is), Return(Float(0))),
		If(Op(I32GeU, Get(0), Int(w.layout.Spec.Seats)), Return(Float(0))),
		Load(F64Load, Op(I32Shl, Get(0), Int(3)), w.returns),
	))
}
