/** What the clients of all AWS services share: who asks, which threads ask, what failures mean. */
package io.indexview.aws;
