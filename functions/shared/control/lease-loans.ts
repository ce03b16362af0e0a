/** Clients that may move the robot under another client's lease without naming it: runs that its holder started. */
export class LeaseLoans {
  readonly #leases = new Map<string, string>();

  /**
   * Lets a client move the robot under a lease as long as that is fresh. What it moves ends with the lease; what it
   * sends never keeps it. @returns a function that ends this.
   */
  lend(id: string, clientId: string): () => void {
    this.#leases.set(clientId, id);
    return () => void this.#leases.delete(clientId);
  }

  /** Id of the lease that was lent to a client. */
  of(clientId: string): string | undefined {
    return this.#leases.get(clientId);
  }
}
