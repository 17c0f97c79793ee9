package advice

// Lines is how many there are.
var Lines = len(lines)

// Line returns the look of a line, in words, and whether it is that of what was seen.
func Line(i int, seen Seen) (look string, is bool) { return lines[i].look, lines[i].is(seen) }
