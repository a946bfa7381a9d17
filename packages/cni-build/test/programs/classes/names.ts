class UserService {}
class OrderService {}
const container: Record<string, unknown> = {}
for (const Service of [UserService, OrderService]) container[Service.name] = new Service()
class HttpError extends Error {
  constructor(message: string) {
    super(message)
    this.name = new.target.name
  }
}
console.log(Object.keys(container).join(), String(new HttpError('not found')), new OrderService().constructor.name)
