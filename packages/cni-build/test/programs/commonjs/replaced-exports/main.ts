import Thing from './thing.cjs'
import state from './state.cjs'
console.log(new Thing().constructor.name, state.count)
state.bump()
console.log(state.count, state.get())
