package io.indexview.streams.health;

/**
 * What the health endpoints say.
 *
 * @param live false: only a restart helps
 * @param ready it derives rows, or will as soon as a rebalance is over
 * @param state for people
 * @param detail what it waits for or why it failed; empty if there is nothing to say
 */
public record HealthReport(boolean live, boolean ready, String state, String detail) {}
