const settle = async () => {
  const results = await Promise.allSettled([Promise.reject(new Error('a')), 1, Promise.any([Promise.reject(1)])])
  console.log(results.map((r) => (r.status === 'rejected' ? `${r.reason.name}` : r.value)).join())
  console.log(await Promise.race([new Promise((resolve) => setTimeout(resolve, 50, 'slow')), 'fast']))
  const { promise, resolve } = Promise.withResolvers()
  resolve('resolved')
  console.log(await promise, await new Promise((_, reject) => reject('no')).catch((reason) => `caught ${reason}`))
  try { await new Promise(() => { throw new RangeError('thrown') }) } catch (error) { console.log(String(error)) }
  const sync = () => { try { return 'try' } finally { console.log('finally first') } }
  console.log(sync(), await (async () => { try { return await Promise.reject('x') } catch { return 'caught' } finally { console.log('last') } })())
}
settle()
