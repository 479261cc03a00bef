package journal

import "encoding/hex"

// String writes the id in hexadecimal, as ledger accounts and tables have it.
func (p Party) String() string { return hex.EncodeToString(p[:]) }
