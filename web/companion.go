package web

// CompanionPage is the page that goes along with a game on a real table: people enter the dice that
// fell and what was decided, and are shown what is best. It uses the tables' API (PlayPage), whose
// chance is then entered.
func CompanionPage() Page {
	return Page{Name: "companion", Path: "/companion", Title: "Companion", Group: Playing, Topic: "guide/practice#companion",
		Template: ownTemplate("companion")}
}
