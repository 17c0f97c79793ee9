package verify

// MaxArchive is the limit of an archive, so that a spec need not unpack as much.
var MaxArchive = &maxArchive
