package ginkgospecs

// LabelsIn is labelsIn, for the tests of this package.
var LabelsIn = labelsIn
