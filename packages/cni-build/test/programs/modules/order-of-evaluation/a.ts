import './c.ts'
console.log('a', (globalThis as { order?: string }).order)
