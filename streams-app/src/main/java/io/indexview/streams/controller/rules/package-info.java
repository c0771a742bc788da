/**
 * What a view's state becomes: desired and observed in, next state and control records out. Pure:
 * no clock, no threads, no Kafka. {@link io.indexview.streams.controller.rules.ViewRules} is the
 * way in.
 */
package io.indexview.streams.controller.rules;
