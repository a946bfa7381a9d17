import './broken.ts'
console.log('not reached')
export {}
