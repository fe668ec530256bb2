package tests

// holdBack does nothing: Windows cannot stop a process.
func (p *process) holdBack() (hurry func()) { return func() {} }
