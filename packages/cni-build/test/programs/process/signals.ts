process.once('SIGUSR2', (signal) => { console.log(signal); clearInterval(timer) })
const timer = setInterval(() => {}, 1000)
process.kill(process.pid, 'SIGUSR2')
