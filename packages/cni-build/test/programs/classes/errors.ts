class NotFound extends Error {
  readonly code = 'NOT_FOUND'
  constructor(what: string, options?: ErrorOptions) {
    super(`no ${what}`, options)
    this.name = this.constructor.name
  }
}
const cause = new RangeError('deep')
const error = new NotFound('pod', { cause })
console.log(String(error), error.cause === cause, Object.keys(error).join(), error instanceof Error, Object.hasOwn(error, 'message'))
console.log(error.stack?.split('\n')[0]?.includes('no pod'), JSON.stringify(error))
const both = new AggregateError([error, cause], 'both')
console.log(both.errors.length, both.name, Object.prototype.toString.call(both))
function makeStack() { const holder: { stack?: string } = {}; Error.captureStackTrace(holder, makeStack); return holder.stack ?? '' }
function namedCaller() { return makeStack() }
console.log(namedCaller().includes('namedCaller'), namedCaller().includes('makeStack'))
