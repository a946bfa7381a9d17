const tried = () => import('./broken.ts').then(() => 'loaded', (error) => `${error.name} ${error.message}`)
const main = async () => {
  console.log(await tried(), await tried(), (globalThis as { times?: number }).times)
  const name = './not-there.ts'
  console.log(await import(name + process.pid).then(() => 'loaded', (error) => error instanceof Error))
  console.log(await import('./uses-broken.ts').catch((error) => error.message))
}
main()
