package strictjson

// names knows the member names of the objects being read, innermost last. Most objects are small: their names stand on
// one shared stack and are compared one by one. A large object gets a set of its own, so that a million members cost
// a million steps and not a million times a million.
type names struct {
	stack []string
	first int                 // where the innermost object's names begin on the stack
	large map[string]struct{} // the innermost object's names, once they are many
}

// fewNames is up to how many names comparing one by one is cheaper than a set.
const fewNames = 8

// around is what names has to remember of the outer object while an inner one is read.
type around struct {
	first int
	large map[string]struct{}
}

func (n *names) open() around {
	outer := around{first: n.first, large: n.large}
	n.first, n.large = len(n.stack), nil
	return outer
}

func (n *names) close(outer around) {
	n.stack = n.stack[:n.first]
	n.first, n.large = outer.first, outer.large
}

// add reports whether the name is new to the innermost object.
func (n *names) add(name string) bool {
	if n.large != nil {
		before := len(n.large)
		n.large[name] = struct{}{}
		return len(n.large) > before
	}
	own := n.stack[n.first:]
	for _, known := range own {
		if known == name {
			return false
		}
	}
	if len(own) < fewNames {
		n.stack = append(n.stack, name)
		return true
	}
	n.large = make(map[string]struct{}, 4*fewNames)
	for _, known := range own {
		n.large[known] = struct{}{}
	}
	n.large[name] = struct{}{}
	return true
}
