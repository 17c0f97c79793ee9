package fast

import (
	"regexp"
	"regexp/syntax"
	"unicode"
)

// compilePattern makes a form of a pattern of the schemas. One that is a sequence of characters from given sets, as
// that of a GUID, is matched without package regexp, which takes ten times as long.
func compilePattern(pattern string) (form, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	sets, ok := sequence(nil, parsed.Simplify())
	if !ok || len(sets) < 2 || sets[0] != nil || sets[len(sets)-1] != nil {
		return compiled.Match, nil
	}
	sets = sets[1 : len(sets)-1]
	for _, set := range sets {
		if set == nil {
			return compiled.Match, nil
		}
	}
	return func(text []byte) bool {
		if len(text) != len(sets) {
			return false
		}
		for i, c := range text {
			if !sets[i][c] {
				return false
			}
		}
		return true
	}, nil
}

// sequence appends the set of characters that each place of a pattern allows; nil stands for the beginning or the end
// of the text. It is false for a pattern that is more than a sequence of ASCII characters.
func sequence(sets []*[256]bool, part *syntax.Regexp) ([]*[256]bool, bool) {
	switch part.Op {
	case syntax.OpBeginText, syntax.OpEndText:
		return append(sets, nil), true
	case syntax.OpLiteral:
		for _, r := range part.Rune {
			if r > unicode.MaxASCII || part.Flags&syntax.FoldCase != 0 {
				return nil, false
			}
			set := &[256]bool{}
			set[r] = true
			sets = append(sets, set)
		}
		return sets, true
	case syntax.OpCharClass:
		set := &[256]bool{}
		for i := 0; i < len(part.Rune); i += 2 {
			if part.Rune[i+1] > unicode.MaxASCII {
				return nil, false
			}
			for r := part.Rune[i]; r <= part.Rune[i+1]; r++ {
				set[r] = true
			}
		}
		return append(sets, set), true
	case syntax.OpConcat:
		for _, sub := range part.Sub {
			var ok bool
			if sets, ok = sequence(sets, sub); !ok {
				return nil, false
			}
		}
		return sets, true
	}
	return nil, false
}
