// Package recipes has the tests of suites/recipes and of the GitHub action: each recipe is checked by a tool of its
// ecosystem, and its steps run in their order, in a repository that has only what the recipe asks for. The archives in
// dist (see `make release`) stand for the download.
package recipes
