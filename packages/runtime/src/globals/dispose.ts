const ensure = (name: 'dispose' | 'asyncDispose'): void => {
  if (Reflect.get(Symbol, name) === undefined) {
    const value = { value: Symbol(`Symbol.${name}`), writable: false, configurable: false, enumerable: false }
    Object.defineProperty(Symbol, name, value)
  }
}

ensure('dispose')
ensure('asyncDispose')
