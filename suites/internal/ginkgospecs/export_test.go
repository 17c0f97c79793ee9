package ginkgospecs

var LabelsIn = labelsIn
