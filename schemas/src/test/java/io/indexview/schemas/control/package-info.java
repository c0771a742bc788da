/** Tests of the control topics, and a topic in memory for tests of those who use them. */
package io.indexview.schemas.control;
