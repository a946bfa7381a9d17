function strict(a: number) {
  a = 2
  return [arguments[0], arguments.length, Object.prototype.toString.call(arguments)].join()
}
const spread = (...all: unknown[]) => all.length
function passes() { return spread(...(arguments as never)) }
console.log(strict(1), (strict as Function)(1, 2, 3), (passes as Function)(1, 2))
