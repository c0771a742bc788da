/**
 * A store of another process over HTTP, for trials and tests: neither encrypted nor protected by a
 * password, and one process holds all data.
 *
 * <p>Only one process can have an embedded store open. {@code indexview emulators} serves its store
 * so that Connect workers, the server and the demo use it as processes of their own: in {@code
 * docker-compose.yml}, and in the tests of a deployed stack. Oracle NoSQL Database would do the
 * same ({@code docker-compose.oracle.yml}), but its server and a client that fits have to be
 * brought.
 *
 * <p>It is written out, as no library would do most of it. Connectors are tried with it for what
 * they meet at a real store: scans are streamed and held back by who reads them, changes are
 * followed from a position that the client keeps, conditional writes fail with their versions, and
 * an outage is another failure than a refusal. A library for remote calls would take over frames
 * and threads. The types of the port would still have to be encoded, and its runtime would be in
 * the connector's plugin and in the client library, to which the JDK's HTTP server and client add
 * nothing.
 */
package io.indexview.kvstore.remote;
