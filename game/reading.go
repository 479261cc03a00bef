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

// String returns the name in rule books.
func (c ClaimDay) String() string {
	switch c {
	case ClaimDrawDay:
		return "draw_day"
	case ClaimCalendarDate:
		return "calendar_date"
	}
	return "invalid"
}

// String returns the name in rule books.
func (t TopRanks) String() string {
	switch t {
	case TopNextMorning:
		return "next_morning"
	case TopAsTheOthers:
		return "as_the_others"
	}
	return "invalid"
}

// String returns the name in rule books.
func (c ClaimExtension) String() string {
	switch c {
	case NoExtension:
		return "none"
	case NextWorkingDay:
		return "next_working_day"
	}
	return "invalid"
}

// String returns the name in rule books.
func (s ShapeScope) String() string {
	switch s {
	case ShapeByBoard:
		return "board"
	case ShapeBySlip:
		return "slip"
	}
	return "invalid"
}

// String returns the name in rule books.
func (l LimitScope) String() string {
	switch l {
	case LimitTotal:
		return "total"
	case LimitPerDraw:
		return "per_draw"
	}
	return "invalid"
}

// String returns the name in rule books.
func (l LimitPlays) String() string {
	switch l {
	case LimitAll:
		return "all"
	case LimitMultipleOnly:
		return "multiple_only"
	}
	return "invalid"
}

// String returns the name in rule books.
func (g Guarantee) String() string {
	switch g {
	case FromReserve:
		return "reserve"
	case FromOperator:
		return "operator"
	}
	return "invalid"
}

// String returns the name in rule books.
func (t ThresholdBasis) String() string {
	switch t {
	case IncludingShare:
		return "including_share"
	case BeforeShare:
		return "before"
	}
	return "invalid"
}

// String returns the name in rule books.
func (r RollDownMoney) String() string {
	switch r {
	case AddedToPrize:
		return "added"
	case ReplacesPrize:
		return "replaces"
	}
	return "invalid"
}

// String returns the name in rule books.
func (o OverCeiling) String() string {
	switch o {
	case OverRolledDown:
		return "rolled_down"
	case OverToReserve:
		return "reserve"
	}
	return "invalid"
}

// String returns the name in rule books.
func (n NoLowerWinner) String() string {
	switch n {
	case ToNextDraw:
		return "next_draw"
	case ToReserve:
		return "reserve"
	}
	return "invalid"
}
