globalThis.times = (globalThis.times ?? 0) + 1
throw new Error(`broken ${globalThis.times}`)
