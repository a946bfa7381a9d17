throw new Error('never')
