;(globalThis as { order?: string }).order = 'set by c'
console.log('c')
