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
	a := &automaton{pattern: pattern}
	begin := uint32(prog.Start)
	isMatch := func(pc uint32) bool { return prog.Inst[pc].Op == syntax.InstMatch }
	// The sets of instructions that a text can reach, by state. The first is that of the empty text; later in a text it
	// may occur again, as another state.
	sets, states := [][]uint32{{begin}}, map[string]uint32{}
	conditions := syntax.EmptyBeginText
	for state := 0; state < len(sets); state++ {
		if state == maxStates {
			return nil, fmt.Errorf("the pattern %q has more than %d states", pattern, maxStates)
		}
		reached := closure(prog, sets[state], conditions)
		atEnd := closure(prog, sets[state], conditions|syntax.EmptyEndText)
		a.accepts = append(a.accepts, slices.ContainsFunc(atEnd, isMatch))
		conditions = 0
		var last []uint32
		for c := range rune(characters) {
			after := []uint32{begin} // a match may start at any character, and any text may follow it
			for _, pc := range reached {
				switch inst := prog.Inst[pc]; {
				case isMatch(pc):
					after = append(after, pc)
				case inst.Op >= syntax.InstRune && inst.MatchRune(c):
					after = append(after, inst.Out)
				}
			}
			if slices.Equal(after, last) {
				a.next = append(a.next, a.next[len(a.next)-1])
				continue
			}
			last = slices.Clone(after)
			slices.Sort(after)
			key := fmt.Sprint(slices.Compact(after))
			if _, known := states[key]; !known {
				states[key], sets = uint32(len(sets))*characters, append(sets, after)
			}
			a.next = append(a.next, states[key])
		}
	}
	return a, nil
}

// closure adds the instructions that follow without reading a character, if the conditions are met.
func closure(prog *syntax.Prog, set []uint32, conditions syntax.EmptyOp) (reached []uint32) {
	for next := slices.Clone(set); len(next) > 0; {
		pc := next[len(next)-1]
		next = next[:len(next)-1]
		if slices.Contains(reached, pc) {
			continue
		}
		reached = append(reached, pc)
		switch inst := prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			next = append(next, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			next = append(next, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^conditions == 0 {
				next = append(next, inst.Out)
			}
		}
	}
	return reached
}
