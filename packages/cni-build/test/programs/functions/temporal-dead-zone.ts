export {}
const tried = (f: () => unknown) => { try { return String(f()) } catch (error) { return (error as Error).name } }
function inFunction() {
  const use = () => value
  const before = tried(use)
  const value = 1
  return [before, tried(use)].join()
}
function inSwitch(n: number) { switch (n) { case 0: let a = 1; return a; default: return tried(() => a) } }
console.log(inFunction(), inSwitch(0), inSwitch(1), tried(() => { class A extends (A as never) {} }))
console.log(typeof hoisted, hoisted())
function hoisted() { return 'hoisted' }
