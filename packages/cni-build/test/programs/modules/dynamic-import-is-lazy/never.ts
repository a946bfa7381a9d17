throw new Error('never evaluated')
