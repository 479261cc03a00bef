package store

import (
	"context"
	"fmt"
)

// OpenProposals gives the records of the proposals that are not decided, in order.
func (r reader) OpenProposals(ctx context.Context) ([]uint64, error) {
	proposals, err := selectRows(ctx, r, &proposalTable, `WHERE NOT EXISTS (SELECT 1 FROM decision d WHERE d.proposal = t.record) ORDER BY t.record`)
	return gather(proposals, func(p *Proposal) uint64 { return p.Record }), err
}

// CountOpenProposals gives how many proposals are not decided.
func (r reader) CountOpenProposals(ctx context.Context) (n int, err error) {
	if err := r.row(ctx, []any{&n}, `SELECT COUNT(*) FROM proposal p WHERE NOT EXISTS (SELECT 1 FROM decision d WHERE d.proposal = p.record)`); err != nil {
		return 0, fmt.Errorf("count open proposals: %w", err)
	}
	return n, nil
}

// Decided is a proposal, by its record, and what was decided: nil while it is open.
type Decided struct {
	Record   uint64
	Decision *Decision
}

// RecentProposals gives the newest proposals, at most limit, the newest first.
func (r reader) RecentProposals(ctx context.Context, limit int) ([]Decided, error) {
	proposals, err := selectRows(ctx, r, &proposalTable, `ORDER BY t.record DESC LIMIT $1`, limit)
	if err != nil {
		return nil, err
	}
	decisions, err := selectKeys(ctx, r, &decisionTable, "proposal", gather(proposals, func(p *Proposal) uint64 { return p.Record }), "")
	if err != nil {
		return nil, err
	}
	byProposal := make(map[uint64]*Decision, len(decisions))
	for i, d := range decisions {
		byProposal[d.Proposal] = &decisions[i]
	}
	return gather(proposals, func(p *Proposal) Decided { return Decided{p.Record, byProposal[p.Record]} }), nil
}

// Decisions gives the decisions on proposals, by proposal.
func (r reader) Decisions(ctx context.Context, proposals []uint64) ([]Decision, error) {
	return selectKeys(ctx, r, &decisionTable, "proposal", proposals, " ORDER BY t.proposal")
}
