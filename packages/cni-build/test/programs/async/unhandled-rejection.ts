process.on('unhandledRejection', (reason) => console.log('unhandled', String(reason)))
process.on('exit', (code) => console.log('exit', code))
process.on('beforeExit', () => console.log('before exit'))
class Failure extends Error { override name = 'Failure' }
Promise.reject(new Failure('nobody waits'))
process.exitCode = 3
