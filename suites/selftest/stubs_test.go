package selftest_test

func hostileSpecs(r *rig) {}
