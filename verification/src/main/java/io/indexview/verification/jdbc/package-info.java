/** The rows of views in relational databases, as JDBC sinks of other origins write them. */
package io.indexview.verification.jdbc;
