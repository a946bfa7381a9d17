const out: string[] = []
setImmediate(() => {
  out.push('immediate')
  // Outside of a callback, Node runs immediates and timers in either order.
  setTimeout(() => {
    queueMicrotask(() => out.push('microtask after tick'))
    process.nextTick(() => out.push('tick'))
  }, 1)
  setTimeout(() => { out.push('timeout'); console.log(out.join()) }, 5)
})
queueMicrotask(() => out.push('microtask'))
Promise.resolve().then(() => out.push('then 1')).then(() => out.push('then 2'))
const wait = async () => { out.push('async start'); await null; out.push('async 1'); await undefined; out.push('async 2') }
wait().finally(() => out.push('finally'))
const returnsPromise = async () => Promise.resolve('nested')
returnsPromise().then((text) => out.push(text))
Promise.resolve({ then: (done: (text: string) => void) => done('thenable') }).then((text) => out.push(String(text)))
out.push('sync')
