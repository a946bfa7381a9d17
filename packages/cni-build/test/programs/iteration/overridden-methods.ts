class Loud extends Array<number> {
  override map(): never { throw new Error('map of Loud') }
  override forEach(f: (x: number) => void) { console.log('forEach of Loud'); super.forEach(f) }
}
const loud = new Loud(3).fill(1)
loud.forEach((x) => console.log(x))
try { loud.map() } catch (error) { console.log(String(error)) }
const original = Array.prototype.filter
Array.prototype.filter = function () { return ['patched'] } as never
console.log([1].filter(() => true).join())
Array.prototype.filter = original
