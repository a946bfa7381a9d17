process.on('exit', (code) => console.log('exit', code))
console.log('before')
setTimeout(() => { throw new Error('uncaught') }, 1)
