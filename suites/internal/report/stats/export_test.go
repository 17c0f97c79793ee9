package stats

// Join adds the counts of another shard.
func Join(c, other *Counts) { c.add(other) }

// DecodeSafe is decodeSafe, for the tests of this package.
var DecodeSafe = decodeSafe
