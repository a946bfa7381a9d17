export { hasRule, listChains, listRules } from './listing.ts'
export { runTransaction } from './run-transaction.ts'
