import { concatMap, delay, filter, firstValueFrom, from, lastValueFrom, map, Observable, of, reduce, share, Subject, toArray } from 'rxjs'

const main = async () => {
  const seen: number[] = []
  const result = from([1, 2, 3]).pipe(delay(1)).forEach((x) => { seen.push(x) })
  console.log(result instanceof Promise, seen.length)
  await result
  console.log(seen.join(), await lastValueFrom(of(1, 2, 3).pipe(map((x) => x * 2), filter((x) => x > 2), reduce((a, b) => a + b))))
  console.log((await firstValueFrom(of('a', 'b').pipe(concatMap((x) => of(x, x)), toArray()))).join(), Observable.name, new Subject().constructor.name)
  const shared = new Subject<number>()
  const all: string[] = []
  shared.pipe(share()).subscribe({ next: (x) => all.push(`next ${x}`), error: (e) => all.push(`error ${e.message}`) })
  shared.next(1)
  shared.error(new Error('stopped'))
  console.log(all.join(), await firstValueFrom(of<number>().pipe(filter(() => false))).catch((error) => error.name))
}
main()
