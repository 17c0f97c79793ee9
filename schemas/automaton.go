package schemas

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
)

// automaton matches a pattern in one pass over an ASCII text. Package regexp takes five times as long for a date-time,
// and ten times as long for a GUID.
type automaton struct {
	next    []uint32 // the state that follows, by state and character; a state is the index of its first character
	accepts []bool   // by state, at the end of a text
	pattern string
}

// characters is the number of transitions that a state has, one for each ASCII character.
const characters = unicode.MaxASCII + 1

// matches reports whether a text matches the automaton's pattern. For a text that is not ASCII, false means "not sure",
// unless the pattern allows only ASCII.
func matches[T string | []byte](a *automaton, text T) bool {
	state := uint32(0)
	for i := range len(text) {
		if text[i] >= characters {
			return false
		}
		state = a.next[state+uint32(text[i])]
	}
	return a.accepts[state/characters]
}

// maxStates limits the memory of an automaton to a megabyte.
const maxStates = 2000

// newAutomaton builds an automaton for a pattern by subset construction over the program that package regexp runs.
func newAutomaton(pattern string) (*automaton, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	b := automatonBuilder{prog: prog, sets: [][]uint32{{uint32(prog.Start)}}, states: map[string]uint32{}}
	a := &automaton{pattern: pattern}
	conditions := syntax.EmptyBeginText
	for state := 0; state < len(b.sets); state++ {
		if state == maxStates {
			return nil, fmt.Errorf("the pattern %q has more than %d states", pattern, maxStates)
		}
		a.next = append(a.next, b.transitions(b.closure(b.sets[state], conditions))...)
		atEnd := b.closure(b.sets[state], conditions|syntax.EmptyEndText)
		a.accepts = append(a.accepts, slices.ContainsFunc(atEnd, b.isMatch))
		conditions = 0
	}
	return a, nil
}

// automatonBuilder numbers the sets of instructions that a text can reach. The first set is that of the empty text;
// later in a text it may occur again, as another state.
type automatonBuilder struct {
	prog   *syntax.Prog
	sets   [][]uint32
	states map[string]uint32 // of all sets but the first
}

// closure adds the instructions that follow without reading a character, if the conditions in `here` are met.
func (a *automatonBuilder) closure(set []uint32, conditions syntax.EmptyOp) []uint32 {
	var out []uint32
	var follow func(pc uint32)
	follow = func(pc uint32) {
		if slices.Contains(out, pc) {
			return
		}
		out = append(out, pc)
		switch inst := a.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			follow(inst.Out)
			follow(inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			follow(inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^conditions == 0 {
				follow(inst.Out)
			}
		}
	}
	for _, pc := range set {
		follow(pc)
	}
	return out
}

// transitions returns the states after a closure. A match may start at any character, and any text may follow it.
func (a *automatonBuilder) transitions(closure []uint32) []uint32 {
	out := make([]uint32, characters)
	var last []uint32
	for c := range out {
		after := []uint32{uint32(a.prog.Start)}
		for _, pc := range closure {
			switch inst := a.prog.Inst[pc]; {
			case a.isMatch(pc):
				after = append(after, pc)
			case inst.Op >= syntax.InstRune && inst.MatchRune(rune(c)):
				after = append(after, inst.Out)
			}
		}
		if slices.Equal(after, last) {
			out[c] = out[c-1]
			continue
		}
		out[c], last = a.state(slices.Clone(after)), after
	}
	return out
}

func (a *automatonBuilder) isMatch(pc uint32) bool { return a.prog.Inst[pc].Op == syntax.InstMatch }

// state returns the state for a set of instructions.
func (a *automatonBuilder) state(set []uint32) uint32 {
	slices.Sort(set)
	key := fmt.Sprint(slices.Compact(set))
	state, known := a.states[key]
	if !known {
		state = uint32(len(a.sets)) * characters
		a.states[key], a.sets = state, append(a.sets, set)
	}
	return state
}
