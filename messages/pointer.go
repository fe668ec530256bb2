package messages

// Lasting returns the object that the league freezes and whose strength is that of the version, and its
// SHA-256: the average of the weights, if there is one, or else the weights that play training games.
func (p *Pointer) Lasting() (object string, sha256 []byte) {
	if p.GetAverageObject() != "" {
		return p.AverageObject, p.AverageSha256
	}
	return p.GetObject(), p.GetSha256()
}
