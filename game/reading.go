package game

// String returns the name in rule books.
func (k Kind) String() string {
	switch k {
	case FixedPrize:
		return "fixed-prize"
	case Parimutuel:
		return "parimutuel"
	}
	return "invalid"
}

// String returns the name in rule books.
func (c CapCounts) String() string {
	switch c {
	case CountUnitStakes:
		return "unit_stakes"
	case CountWagers:
		return "wagers"
	}
	return "invalid"
}

// String returns the name in rule books.
func (c CapRefusal) String() string {
	switch c {
	case RefuseWhole:
		return "whole"
	case RefusePartial:
		return "partial"
	}
	return "invalid"
}

// String returns the name in rule books.
func (c CapQuickPick) String() string {
	switch c {
	case RedrawQuickPick:
		return "redraw"
	case RefuseQuickPick:
		return "refuse"
	}
	return "invalid"
}

// String returns the name in rule books.
func (q QuickPickBy) String() string {
	switch q {
	case ByCentral:
		return "central"
	case ByTerminal:
		return "terminal"
	}
	return "invalid"
}

// String returns the name in rule books.
func (o OverRun) String() string {
	switch o {
	case CutOverRun:
		return "cut"
	case RefuseOverRun:
		return "refuse"
	}
	return "invalid"
}

// String returns the name in rule books.
func (b BetweenSessions) String() string {
	switch b {
	case RefusedBetween:
		return "refused"
	case NextSession:
		return "next_session"
	}
	return "invalid"
}

// String returns the name in rule books.
func (o OtherTiers) String() string {
	switch o {
	case AfterLastDraw:
		return "last_draw"
	case EachDraw:
		return "each_draw"
	}
	return "invalid"
}

// String returns the name in rule books.
func (e EarlyTiers) String() string {
	switch e {
	case WholeTicketNextMorning:
		return "whole_ticket"
	case SmallFirst:
		return "small_first"
	}
	return "invalid"
}

// String returns the name in rule books.
func (d DeadlineZone) String() string {
	switch d {
	case PlaceOfPayment:
		return "place_of_payment"
	case ParisDeadline:
		return "paris"
	}
	return "invalid"
}

// String returns the name in rule books.
func (r Rounding) String() string {
	switch r {
	case HalfUp:
		return "half-up"
	case Up:
		return "up"
	}
	return "invalid"
}
