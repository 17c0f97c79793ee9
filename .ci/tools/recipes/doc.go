// Package recipes tests suites/recipes and the GitHub action. Each recipe is checked by a tool of its ecosystem. Its
// steps run in order, in a repository with only the files that the recipe requires. A local server offers the archives
// in dist (see `make release`) as the download.
package recipes
