;(globalThis as { times?: number }).times = ((globalThis as { times?: number }).times ?? 0) + 1
throw new RangeError('broken when evaluated')
