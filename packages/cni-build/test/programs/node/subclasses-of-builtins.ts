import { AsyncLocalStorage } from 'node:async_hooks'
import { PassThrough, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

class Upper extends Transform {
  override _transform(chunk: Buffer, _: string, done: (error: null, text: string) => void) { done(null, String(chunk).toUpperCase()) }
}
const store = new AsyncLocalStorage<string>()
const main = async () => {
  const out = new PassThrough()
  await pipeline(['a', 'b'], new Upper(), out)
  console.log(String(out.read()), new Upper().constructor.name, new Upper() instanceof Transform)
  await store.run('kept', async () => { await null; console.log(store.getStore()) })
  console.log(store.getStore(), Buffer.from('ü').toString('hex'), Buffer.from([1, 2]).subarray(1) instanceof Buffer)
}
main()
