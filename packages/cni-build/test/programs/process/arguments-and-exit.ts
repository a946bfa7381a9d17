process.on('exit', (code) => { console.log('exit', code); process.exitCode = 7 })
console.log(process.argv.length, process.argv.slice(2).join(), typeof process.argv[0])
process.stdout.write('no newline')
process.exit(4)
