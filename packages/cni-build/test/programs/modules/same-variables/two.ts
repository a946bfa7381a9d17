const state = 'two'
const Promise = { resolve: () => 'own Promise' }
export const get = () => `${state} ${Promise.resolve()}`
