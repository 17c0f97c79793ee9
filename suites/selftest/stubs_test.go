package selftest_test

func closedSpecs(r *rig)     {}
func scopeSpecs(r *rig)      {}
func canarySpecs(r *rig)     {}
func hostileSpecs(r *rig)    {}
